/** The items of helpers, coordinators and subjects. Safe for any thread. */
@NullMarked
package io.cloudmw.coordinator.catalog.dynamodb.cluster;

import org.jspecify.annotations.NullMarked;
