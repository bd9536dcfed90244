/** Accounts of one read: its counts, its receipt, and its choice of mode for a deadline. Confined to the transfer. */
@NullMarked
package io.cloudmw.client.read.ledger;

import org.jspecify.annotations.NullMarked;
