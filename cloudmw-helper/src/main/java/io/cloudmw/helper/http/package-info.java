/**
 * Metrics and health over HTTP, for machines that watch this one. Runs on threads of its own: a few that
 * answer, and one that looks whether the process can serve.
 */
@NullMarked
package io.cloudmw.helper.http;

import org.jspecify.annotations.NullMarked;
