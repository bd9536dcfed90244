/**
 * The cost and duration of transfers, before and after: prices, bills, the model that predicts time, requests and
 * bytes mode by mode, and the planner of the cheapest strategy that keeps a target. Pure: no I/O but the reading of
 * price tables, no clocks; values are immutable and safe for any thread.
 */
@NullMarked
package io.cloudmw.core.cost;

import org.jspecify.annotations.NullMarked;
