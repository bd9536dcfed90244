/** Tests of manifests. */
@NullMarked
package io.cloudmw.client.manifest;

import org.jspecify.annotations.NullMarked;
