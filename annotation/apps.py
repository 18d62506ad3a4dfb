from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.raters.memberships import free_slots_of_deactivated
        from rarrweb.accounts.people import deactivated

        deactivated.connect(free_slots_of_deactivated)
