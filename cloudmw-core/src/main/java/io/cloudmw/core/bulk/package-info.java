/**
 * The bulk plane: length-prefixed frames over Netty with credit-based flow control, used by helpers and clients
 * alike. Everything is called on event loops unless it says otherwise; nothing here blocks.
 */
@NullMarked
package io.cloudmw.core.bulk;

import org.jspecify.annotations.NullMarked;
