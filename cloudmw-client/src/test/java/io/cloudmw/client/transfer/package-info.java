/** The parts of transfers that can be tested alone. */
@NullMarked
package io.cloudmw.client.transfer;

import org.jspecify.annotations.NullMarked;
