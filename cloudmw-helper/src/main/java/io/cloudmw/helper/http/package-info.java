/**
 * Metrics and health over HTTP, for monitoring. Runs on threads of its own: a few that answer requests, and one that checks
 * whether the process can serve.
 */
@NullMarked
package io.cloudmw.helper.http;

import org.jspecify.annotations.NullMarked;
