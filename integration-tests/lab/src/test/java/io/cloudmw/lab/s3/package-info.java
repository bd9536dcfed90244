/** Tests of the stand-ins for S3. */
@NullMarked
package io.cloudmw.lab.s3;

import org.jspecify.annotations.NullMarked;
