/** The executors of a process, and order on their shared threads. The creator of an executor closes it. */
@NullMarked
package io.cloudmw.core.thread;

import org.jspecify.annotations.NullMarked;
