/**
 * The file I/O of Apache Iceberg over volumes. Tables name {@link io.cloudmw.iceberg.CloudMwFileIO} as their
 * {@code io-impl}. Safe for any thread; calls block.
 */
@NullMarked
package io.cloudmw.iceberg;

import org.jspecify.annotations.NullMarked;
