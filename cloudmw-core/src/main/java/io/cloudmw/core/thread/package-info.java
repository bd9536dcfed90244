/** Executors a process is built of, and order on their shared threads. Whoever creates one closes it. */
@NullMarked
package io.cloudmw.core.thread;

import org.jspecify.annotations.NullMarked;
