"""One module per page: `layout(frame)` names its components, typed callbacks answer, `wire` joins them."""
