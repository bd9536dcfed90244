/**
 * S3 servers of several vendors, each a process on the loopback, and the contract of the {@code s3} store on each of
 * them. Confined to the test that starts them.
 */
@NullMarked
package io.cloudmw.it.s3;

import org.jspecify.annotations.NullMarked;
