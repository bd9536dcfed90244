/**
 * The parts that the file system for Hadoop and the file I/O for Iceberg share: clients of clusters, and reads of open
 * files. Nothing here knows Hadoop or Iceberg. Types are safe for any thread unless they say otherwise.
 */
@NullMarked
package io.cloudmw.connector;

import org.jspecify.annotations.NullMarked;
