/** Hadoop's streams over files of volumes. Each type says which threads may use it; calls block. */
@NullMarked
package io.cloudmw.hadoop.stream;

import org.jspecify.annotations.NullMarked;
