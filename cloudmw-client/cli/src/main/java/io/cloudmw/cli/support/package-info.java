/** The support bundle: what a maintainer needs to know of a cluster and of this machine, without its secrets. */
@NullMarked
package io.cloudmw.cli.support;

import org.jspecify.annotations.NullMarked;
