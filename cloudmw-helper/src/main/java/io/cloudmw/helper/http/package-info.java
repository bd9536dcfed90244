/**
 * Metrics and health over HTTP, for machines that watch this one. Runs on a thread of its own.
 */
@NullMarked
package io.cloudmw.helper.http;

import org.jspecify.annotations.NullMarked;
