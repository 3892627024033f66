"""The HTTP API: what the pages do, for programs. One module per resource; `application` joins them."""
