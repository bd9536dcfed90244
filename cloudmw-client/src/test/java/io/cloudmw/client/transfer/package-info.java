/** Tests of transfers. */
@NullMarked
package io.cloudmw.client.transfer;

import org.jspecify.annotations.NullMarked;
