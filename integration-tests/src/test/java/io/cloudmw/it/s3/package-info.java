/**
 * S3 servers of several makers, each a process of its own with the loopback only, and the contract that the {@code s3} store
 * keeps on each of them. Confined to the test that starts them.
 */
@NullMarked
package io.cloudmw.it.s3;

import org.jspecify.annotations.NullMarked;
