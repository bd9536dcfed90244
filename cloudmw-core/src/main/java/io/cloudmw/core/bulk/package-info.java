/**
 * The bulk plane: length-prefixed frames over Netty with credit-based flow control, for helpers and clients alike.
 * Methods are called on event loops unless they say otherwise; nothing here blocks.
 */
@NullMarked
package io.cloudmw.core.bulk;

import org.jspecify.annotations.NullMarked;
