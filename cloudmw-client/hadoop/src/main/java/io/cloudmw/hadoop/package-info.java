/**
 * CloudMW as a file system of Hadoop: {@code cloudmw://host:port/volume/path}. Found by its scheme, configured by
 * {@code fs.cloudmw.*}. Types are safe for any thread unless they say otherwise; calls block.
 */
@NullMarked
package io.cloudmw.hadoop;

import org.jspecify.annotations.NullMarked;
