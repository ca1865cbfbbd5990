"""What every request to LocalStack pays for and nobody needs."""

import functools


def lighten():
    from twisted.web import http

    # A tenth of the time of a busy LocalStack goes into reading the same few headers.
    http._parseContentType = functools.lru_cache(256)(http._parseContentType)
    http.HTTPFactory.log = lambda self, request: None  # nobody reads the access log
