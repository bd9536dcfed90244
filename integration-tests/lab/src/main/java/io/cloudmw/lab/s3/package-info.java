/** Stand-ins for S3: a bucket server and a proxy that shapes its traffic. */
@NullMarked
package io.cloudmw.lab.s3;

import org.jspecify.annotations.NullMarked;
