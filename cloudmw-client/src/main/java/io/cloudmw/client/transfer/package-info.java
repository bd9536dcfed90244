/** The starting point of a client's transfers. Safe for any thread. */
@NullMarked
package io.cloudmw.client.transfer;

import org.jspecify.annotations.NullMarked;
