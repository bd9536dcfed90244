/**
 * The catalog on DynamoDB: Amazon's own engine as a process of this machine, and a network that loses its answers. Safe for
 * any thread.
 */
@NullMarked
package io.cloudmw.it.dynamodb;

import org.jspecify.annotations.NullMarked;
