output "coordinator" {
  description = "Address of the coordinators: CLOUDMW_COORDINATOR of clients."
  value       = "${aws_lb.coordinators.dns_name}:${local.serve_port}"
}

output "client_environment" {
  description = "Environment variables of clients."
  value       = { CLOUDMW_COORDINATOR = "${aws_lb.coordinators.dns_name}:${local.serve_port}" }
}

output "client_security_group_id" {
  description = "Security group that a machine needs to reach coordinators and helpers."
  value       = aws_security_group.client.id
}

output "cluster" {
  description = "What the module helper-fleet takes as coordinator."
  value = {
    address                         = "${aws_lb.coordinators.dns_name}:${local.serve_port}"
    security_group_id               = module.instance.security_group_id
    load_balancer_security_group_id = aws_security_group.load_balancer.id
    client_security_group_id        = aws_security_group.client.id
    secret = {
      arn         = aws_secretsmanager_secret.cluster.arn
      kms_key_arn = var.kms_key_arn
    }
  }
}

output "secret_arn" {
  description = "The cluster's secret in Secrets Manager. Only coordinators and helpers may read it."
  value       = aws_secretsmanager_secret.cluster.arn
}

output "authority_secret_arn" {
  description = "The cluster's authority in Secrets Manager. Only coordinators may read or replace it."
  value       = aws_secretsmanager_secret.identity["authority"].arn
}

output "admin_token_secret_arn" {
  description = "The administrator's token in Secrets Manager. Only coordinators and administrator_arns may read or replace it."
  value       = aws_secretsmanager_secret.identity["admin-token"].arn
}

output "role_arn" {
  description = "Role of the coordinators, for policies of buckets and keys elsewhere."
  value       = module.instance.role_arn
}

output "monitored" {
  description = "What the module monitoring takes as coordinator."
  value = {
    group         = aws_autoscaling_group.coordinators.name
    size          = var.size
    table         = aws_dynamodb_table.catalog.name
    load_balancer = aws_lb.coordinators.arn_suffix
    target_group  = aws_lb_target_group.coordinators.arn_suffix
  }
}

output "user_data" {
  description = "User data of the coordinators, as text."
  value       = module.instance.user_data
}
