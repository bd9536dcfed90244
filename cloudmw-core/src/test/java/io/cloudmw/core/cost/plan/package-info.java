@NullMarked
package io.cloudmw.core.cost.plan;

import org.jspecify.annotations.NullMarked;
