/**
 * The catalog in one DynamoDB table, which any number of coordinators use at once. Nothing is locked: a change reads what
 * it depends on and is one transaction that takes effect only if all of that is still so; otherwise it begins anew, a
 * bounded number of times. Reads are strongly consistent, and there is no secondary index. Safe for any thread; calls
 * block.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.dynamodb;

import org.jspecify.annotations.NullMarked;
