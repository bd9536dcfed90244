/**
 * The catalog in one DynamoDB table, which any number of coordinators use at once. No item is locked. A change reads
 * what it depends on and commits one conditional transaction; on a conflict it is retried, up to a limit. Reads are
 * strongly consistent, and there is no secondary index. Safe for any thread; calls block.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.dynamodb;

import org.jspecify.annotations.NullMarked;
