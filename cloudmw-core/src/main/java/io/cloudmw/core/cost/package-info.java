/**
 * The cost of transfers: prices, usage and bills, and the strategies for reads with their predictions. Pure: no I/O
 * but the reading of price tables, no clocks; values are immutable and safe for any thread.
 */
@NullMarked
package io.cloudmw.core.cost;

import org.jspecify.annotations.NullMarked;
