package io.cloudmw.it.dynamodb;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands the test JVM's one shared {@link DynamoDbLocal} to tests that ask for it as a parameter. It is started by the first that
 * does and ended after the last test of that JVM.
 */
public final class DynamoDbExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(DynamoDbExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == DynamoDbLocal.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .getOrComputeIfAbsent(DynamoDbLocal.class, key -> DynamoDbLocal.start(), DynamoDbLocal.class);
    }
}
