/** Commands about stores, helpers and upkeep. */
@NullMarked
package io.cloudmw.cli.cluster;

import org.jspecify.annotations.NullMarked;
