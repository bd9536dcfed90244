/**
 * The frames of the bulk plane: their header, their types and limits, the reader of a socket and the queue of a stream.
 */
@NullMarked
package io.cloudmw.core.bulk.frame;

import org.jspecify.annotations.NullMarked;
