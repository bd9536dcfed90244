/**
 * Applications that embed the client: processes with the class path that Maven gives them, on each JDK of this machine.
 * Not safe for several threads.
 */
@NullMarked
package io.cloudmw.it.consumer;

import org.jspecify.annotations.NullMarked;
