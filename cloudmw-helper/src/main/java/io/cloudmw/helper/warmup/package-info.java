/**
 * The warm-up of a serving process: before it is ready, it moves bytes through its own classes on loopback, so that the
 * JIT compilers have seen the data path. Nothing of it stays: servers, directories, meters and measured speeds are its
 * own. Confined to the thread that starts the process, which alone closes what was opened.
 */
@NullMarked
package io.cloudmw.helper.warmup;

import org.jspecify.annotations.NullMarked;
