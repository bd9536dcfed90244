/** Tests of accounts. */
@NullMarked
package io.cloudmw.client.read.ledger;

import org.jspecify.annotations.NullMarked;
