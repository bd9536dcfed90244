/**
 * Executors this process is built of. Whoever creates one closes it.
 */
@NullMarked
package io.cloudmw.helper.thread;

import org.jspecify.annotations.NullMarked;
