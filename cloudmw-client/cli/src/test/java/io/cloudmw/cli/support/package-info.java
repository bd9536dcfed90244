@NullMarked
package io.cloudmw.cli.support;

import org.jspecify.annotations.NullMarked;
