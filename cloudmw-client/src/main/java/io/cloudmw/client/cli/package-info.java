/**
 * The {@code cloudmw} command. The only place that parses options, prints, and exits; one thread, plus the client's.
 */
@NullMarked
package io.cloudmw.client.cli;

import org.jspecify.annotations.NullMarked;
