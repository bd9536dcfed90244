package io.cloudmw.it.dynamodb;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * An extension that gives the test JVM's shared {@link DynamoDbLocal} to tests that ask for it as a parameter. The
 * first such test starts the engine, which runs until the JVM's last test.
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
