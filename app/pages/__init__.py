"""One module per page: `layout(frame)` builds and names its components, typed callbacks answer, `wire` joins them."""
