/**
 * The coordinator's web page over HTTP: files, JSON, live events, and access. Its requests have threads of their own,
 * so that no reader of the page delays metrics or health checks. Safe for any thread.
 */
@NullMarked
package io.cloudmw.helper.page;

import org.jspecify.annotations.NullMarked;
