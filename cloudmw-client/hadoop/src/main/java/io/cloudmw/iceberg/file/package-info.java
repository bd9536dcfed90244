/** Input and output files of Apache Iceberg, and their streams. A stream is for one thread unless it says otherwise. */
@NullMarked
package io.cloudmw.iceberg.file;

import org.jspecify.annotations.NullMarked;
