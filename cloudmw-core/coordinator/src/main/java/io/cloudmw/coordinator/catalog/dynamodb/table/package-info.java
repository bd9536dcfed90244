/**
 * The DynamoDB table: its schema, keys, items, requests and error mapping. Safe for any thread; calls block on the
 * network.
 */
@NullMarked
package io.cloudmw.coordinator.catalog.dynamodb.table;

import org.jspecify.annotations.NullMarked;
