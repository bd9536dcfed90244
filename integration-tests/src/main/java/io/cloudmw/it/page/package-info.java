/** The coordinator's web page under load: a fleet of helpers that only report, a browser, and a benchmark. */
@NullMarked
package io.cloudmw.it.page;

import org.jspecify.annotations.NullMarked;
