/** Operations on many files of Apache Iceberg at once. Safe for any thread unless they say otherwise; calls block. */
@NullMarked
package io.cloudmw.iceberg.prefix;

import org.jspecify.annotations.NullMarked;
