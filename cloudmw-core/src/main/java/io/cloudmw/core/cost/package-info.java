/**
 * What transfers cost and how long they take, before and after: prices, bills, the model that predicts a read's time,
 * requests and bytes mode by mode, and the choice of the cheapest way that keeps a promise. Pure: no I/O but the reading
 * of price tables, no clocks; values are immutable and safe for any thread.
 */
@NullMarked
package io.cloudmw.core.cost;

import org.jspecify.annotations.NullMarked;
