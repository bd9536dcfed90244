/**
 * A whole fleet on this machine, as separate processes: for the demo, for tests and for benchmarks. Processes are
 * started through the launcher script and killed, paused and restarted like an operator (or an accident) would. Any
 * thread may call.
 */
@NullMarked
package io.cloudmw.client.cli.fleet;

import org.jspecify.annotations.NullMarked;
